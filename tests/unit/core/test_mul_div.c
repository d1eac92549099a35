

#include "core/mul_div.h"
#include "tests/unit/unit.h"

/* The expected quotients are Python's. */
static void quotients_are_exact_or_refused(void **state)
{
    static const struct {
        uint64_t a, b, add, divisor;
        int r;
        uint64_t quotient; /* 7: as before */
    } rows[] = {
        {0x0U, 0x0U, 0x0U, 0x1U, 0, 0x0U},
        {0x1U, 0x1U, 0x0U, 0x1U, 0, 0x1U},
        {UINT64_C(0xffffffffffffffff), 0x1U, 0x0U, 0x1U, 0, UINT64_C(0xffffffffffffffff)},
        {UINT64_C(0xffffffffffffffff), 0x1U, 0x1U, 0x1U, -ERANGE, 0x7U},
        {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), 0x0U,
         UINT64_C(0xffffffffffffffff), 0, UINT64_C(0xffffffffffffffff)},
        {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
         UINT64_C(0xffffffffffffffff), -ERANGE, 0x7U},
        {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), UINT64_C(0xfffffffffffffffe),
         UINT64_C(0xffffffffffffffff), 0, UINT64_C(0xffffffffffffffff)},
        {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), 0x0U,
         UINT64_C(0xfffffffffffffffe), -ERANGE, 0x7U},
        {UINT64_C(0x100000000), UINT64_C(0x100000000), 0x0U, 0x2U, 0, UINT64_C(0x8000000000000000)},
        {UINT64_C(0x100000000), UINT64_C(0x100000000), 0x0U, 0x1U, -ERANGE, 0x7U},
        {UINT64_C(0x100000000), 0x80000000U, UINT64_C(0x8000000000000000), 0x1U, -ERANGE, 0x7U},
        {UINT64_C(0xffffffffffffffff), 0x2U, 0x0U, 0x3U, 0, UINT64_C(0xaaaaaaaaaaaaaaaa)},
        {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
         0x1U, -ERANGE, 0x7U},
        {UINT64_C(0x8000000000000000), 0x2U, 0x0U, UINT64_C(0x8000000000000001), 0, 0x1U},
        {UINT64_C(0x8000000000000000), 0x4U, UINT64_C(0xffffffffffffffff),
         UINT64_C(0x8000000000000001), 0, 0x5U},
        {UINT64_C(0xde0b6b3a763ffff), UINT64_C(0x34630b8a000), UINT64_C(0x6f05b59d3b20000),
         UINT64_C(0xde0b6b3a7640000), 0, UINT64_C(0x34630b8a000)},
        {UINT64_C(0x7b781ef86f), UINT64_C(0x3a0562d56abd685a), UINT64_C(0x68d605d4017f9ee6),
         UINT64_C(0x424458b6b6043106), 0, UINT64_C(0x6c1af5f0b3)},
        {0xa28f1U, 0x297c5e5U, UINT64_C(0x55c6b62bd09e0492), UINT64_C(0xf3a160712456de76), 0, 0x0U},
        {UINT64_C(0x4f6341279a23bef7), 0xca0bc36cU, UINT64_C(0xe4bf156405372ef4),
         UINT64_C(0x2cec1496e), 0, UINT64_C(0x1650fa3c2688db2c)},
        {UINT64_C(0x701ad82a1865506), UINT64_C(0x994395a774f0147f), UINT64_C(0x396e0d55fc45228f),
         UINT64_C(0x1086e5c9dc8b6), -ERANGE, 0x7U},
        {UINT64_C(0x16c9aee9cf), UINT64_C(0x6c51ce927e89f918), 0x1U, UINT64_C(0x9429523c4b037d52),
         0, UINT64_C(0x10a8f4e623)},
        {0x48658U, UINT64_C(0x1d523583b), 0x1U, UINT64_C(0x1f5a43c1be0d0), 0, 0x4U},
        {0x4f126U, UINT64_C(0x75fc623151001bc3), UINT64_C(0x2a0caf8c10d3cf3f),
         UINT64_C(0xba5681347b74fcfa), 0, 0x32112U},
        {0x71f43U, UINT64_C(0xeb3435850394b668), UINT64_C(0xcbb5811fb2f1a709),
         UINT64_C(0x3744acda7), 0, UINT64_C(0x1e4f3ac7235f8)},
        {UINT64_C(0x7fcdb1c21401e13d), 0xf7d457c8U, 0x1U, UINT64_C(0x17a1ce59279e1), 0,
         UINT64_C(0x53c469b2cf53)},
        {0x8a0a4U, UINT64_C(0x1a8cc3a89), UINT64_C(0x51c287fd9a9390de), UINT64_C(0x2ac8d82d8eb36),
         0, 0x1e98U},
        {UINT64_C(0xd4799caba7c880dd), 0x3a51d302U, 0x1U, 0x8aafa682U, 0,
         UINT64_C(0x5959570a4d17730b)},
        {0x256eU, UINT64_C(0xbedb95ca0261403), 0x1U, UINT64_C(0xf0c9a8190c583931), 0, 0x1daU},
        {UINT64_C(0xe62736cce1), UINT64_C(0x2d9b06df3d59619a), 0x0U, UINT64_C(0xeb4286583e93c80b),
         0, UINT64_C(0x2c9d9a276e)},
        {0x1aa1eU, 0x448162e0U, UINT64_C(0x67ad1c0909e0ab78), UINT64_C(0x2ebc7e23467e8), 0,
         0x237eU},
        {UINT64_C(0x4275f3f1a4), 0xf21a439U, 0x0U, UINT64_C(0xecc88b6a415fb583), 0, 0x4U},
        {UINT64_C(0x1a71470f625c4b6e), 0x1d1ac6b7U, 0x0U, UINT64_C(0x174adbf3d), 0,
         UINT64_C(0x210a6bbca938bf8)},
        {0xd72c6U, UINT64_C(0x2039c0213ccf5a5e), 0x1U, UINT64_C(0x201656eceec2d), 0, 0xd819d62cU},
        {0x65424U, UINT64_C(0x15cc0a42c), UINT64_C(0x2c94c8ddd360bc0a), UINT64_C(0x2a20b356dd658),
         0, 0x10f1U},
        {UINT64_C(0x5d8c625a6), UINT64_C(0x928d01cb4dfe13d5), UINT64_C(0x1fae80aff9670fc5),
         UINT64_C(0x3c060826d), 0, UINT64_C(0xe4674a21feabaeab)},
        {UINT64_C(0x7fbcb60143), UINT64_C(0x188cc1dfd), UINT64_C(0x96e82022358aceea),
         UINT64_C(0x88bc80a00b77), 0, 0x1700ca1U},
        {UINT64_C(0x148dab51ea), UINT64_C(0x1b9568b96), UINT64_C(0x765de2740ee0f733),
         UINT64_C(0x1ce6a333c), 0, UINT64_C(0x13df5f7f1a)},
        {UINT64_C(0xd6dfab5c1504f25), UINT64_C(0x2be53c1f881931f9), 0x1U, UINT64_C(0x121ed67032a0b),
         -ERANGE, 0x7U},
        {UINT64_C(0x3910956772), 0x744101dfU, 0x1U, UINT64_C(0x138bdb629), 0,
         UINT64_C(0x15366358c1)},
        {UINT64_C(0x9f9b58b572), 0xe33cdd3U, 0x0U, UINT64_C(0x25b5eb2d0ec2c6c2), 0, 0x3cU},
    };
    ST_EACH (row, rows) {
        uint64_t quotient = 7;
        assert_int_equal(st_mul_div(row->a, row->b, row->add, row->divisor, &quotient), row->r);
        assert_int_equal(quotient, row->quotient);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotients_are_exact_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
