/* Parsers of Linux' /proc text: any bytes, ended by '\0'. */
#include "core/cpu_list.h"
#include "core/text/safe.h"
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
    char small[8], large[256];
    if (st_proc_cgroup_path(text, small, sizeof(small)) == 0)
        check(small[0] == '/' && strlen(small) < sizeof(small));
    if (st_proc_field(text, "model name", small, sizeof(small)) == 0)
        check(strlen(small) < sizeof(small));
    if (st_proc_field(text, "flags", large, sizeof(large)) == 0)
        (void)st_proc_has_word(large, "hypervisor");
    if (st_proc_line_text(text, "CONFIG_HZ=", small, sizeof(small)) == 0)
        check(strlen(small) < sizeof(small));
    if (st_proc_chosen(text, small, sizeof(small)) == 0)
        check(strlen(small) < sizeof(small));
    struct st_cpu_list list;
    check(st_cpu_list_parse(text, &list) != 0 || list.n <= ST_CPU_LIST_MAX);
    free(text);
    return 0;
}
