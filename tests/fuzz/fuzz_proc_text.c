/* Parsers of Linux' /proc text: any bytes, ended by '\0'. */
#include "core/cpu_list.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/proc.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);

    int64_t cpu_ns = -1, wait_ns = -1;
    if (st_proc_schedstat(text, &cpu_ns, &wait_ns) == 0)
        check(cpu_ns >= 0 && wait_ns >= 0);
    struct st_proc_stat stat = {.cpu = -1};
    if (st_proc_stat(text, &stat) == 0)
        check(stat.cpu >= 0);
    uint64_t n;
    (void)st_proc_line_u64(text, "nonvoluntary_ctxt_switches:", &n);
    (void)st_proc_line_u64(text, "throttled_usec ", &n);
    (void)st_proc_pressure_us(text, "some", &n);
    const char *flags = st_proc_field(text, "flags");
    const char *const values[] = {flags, st_proc_line_text(text, "0::"), st_proc_chosen(text)};
    ST_EACH (value, values)
        check(*value == NULL || strlen(*value) <= size);
    if (flags != NULL)
        (void)st_proc_has_word(flags, "hypervisor");
    st_text_forget();
    struct st_cpu_list list;
    check(st_cpu_list_parse(text, &list) != 0 || list.n <= ST_CPU_LIST_MAX);
    free(text);
    return 0;
}
