/* Text of FreeBSD sysctls. The first byte is the kind, the second chooses the format, the third the
 * room. */
#include "platform/freebsd/oid.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"",   "I", "IK", "IK3", "IK9", "LU",
                                          "CU", "A", "QU", "S",   "N",   "S,clockinfo"};
    if (size < 3)
        return 0;
    const size_t room = data[2];
    const char *format = formats[data[1] % ST_ARRAY_LEN(formats)];
    /* copies of exact size: a byte too far is seen by the sanitizer */
    char *buf = malloc(room);
    uint8_t *value = malloc(size - 3);
    if (buf != NULL && value != NULL) {
        memcpy(value, data + 3, size - 3);
        size_t len = SIZE_MAX;
        const int r = st_oid_text(data[0], format, value, size - 3, buf, room, &len);
        if ((r == 0 || r == -EFBIG) && (len >= room || buf[len] != '\0'))
            abort();
    }
    free(value);
    free(buf);
    return 0;
}
