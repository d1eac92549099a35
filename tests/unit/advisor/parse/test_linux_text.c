/* Parsers of Linux' text files. Each given setting is noted as "section|key|value;". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/parse/linux_text.h"
#include "platform/proc.h"

static char noted[4096];

static void note(void *ctx, const char *section, const char *key, const char *value)
{
    const size_t used = strlen(noted);
    (void)ctx;
    snprintf(noted + used, sizeof(noted) - used, "%s|%s|%s;", section, key, value);
}

static void note_interrupt(void *ctx, unsigned number, const char *actions, const char *pci)
{
    const size_t used = strlen(noted);
    (void)ctx;
    snprintf(noted + used, sizeof(noted) - used, "%u|%s%s%s;", number, actions, pci[0] != '\0' ? "@" : "",
             pci);
}

static int clear(void **state)
{
    (void)state;
    noted[0] = '\0';
    return 0;
}

static void settings_have_sections_and_comments(void **state)
{
    char text[] = "; no\na = 1\r\n\n[Service]\n# c = 3\n ExecStart = /bin/x = y \nnothing\n[Install\nb=\n";
    (void)state;
    st_linux_text_settings(text, '=', "#;", note, NULL);
    assert_string_equal(noted, "|a|1;Service|ExecStart|/bin/x = y;Service|b|;");
}

static void limits_that_set_the_soft_limit_count(void **state)
{
    char text[] = "@audio - rtprio 95 # why\n#@audio - nice -19\n* hard memlock 1\nann\tsoft memlock "
                  "unlimited\n@x - rtprio\n";
    (void)state;
    st_linux_text_limits(text, note, NULL);
    assert_string_equal(noted, "@audio|rtprio|95;ann|memlock|unlimited;");
}

static void relaxed_json_names_the_object_of_a_setting(void **state)
{
    (void)state;
    st_linux_text_spa("# top\ncontext.properties = {\n #a = 1\n default.clock.rate = 48000 # Hz\n"
                      " \"default.clock.quantum\": 256, list = [ 44100 48000 ]\n"
                      " vm.overrides = { default.clock.min-quantum = 1024 } after = yes }\nlog.level = 2\n",
                      note, NULL);
    assert_string_equal(noted, "context.properties|default.clock.rate|48000;"
                               "context.properties|default.clock.quantum|256;"
                               "vm.overrides|default.clock.min-quantum|1024;context.properties|after|yes;"
                               "|log.level|2;");
}

static void relaxed_json_without_end_or_too_deep_is_survived(void **state)
{
    char deep[200];
    (void)state;
    memset(deep, '{', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    memcpy(deep + 100, " a = 1 ", 7);
    st_linux_text_spa(deep, note, NULL);
    st_linux_text_spa("}}] a = \"b", note, NULL);
    assert_string_equal(noted, "|a|b;");
}

static void a_stat_line_gives_name_and_priority(void **state)
{
    struct st_proc_stat stat;
    (void)state;
    assert_int_equal(
        st_proc_stat("37 (irq/9 a) (b)) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 -51 0 1 0 26 0 0 18 0 0 0 0 0 "
                     "0 0 21 0 0 0 0 17 3 50 1 0 0 0\n",
                     &stat),
        0);
    assert_string_equal(stat.name, "irq/9 a) (b)");
    assert_true(stat.kernel_thread);
    assert_int_equal(stat.threads_n, 1);
    assert_int_equal(stat.rt_priority, 50);
    assert_int_equal(stat.policy, 1);
}

static void a_stat_line_that_is_cut_is_refused(void **state)
{
    struct st_proc_stat stat;
    (void)state;
    assert_int_equal(st_proc_stat("37 (a) S 2 0 0", &stat), -EBADMSG);
    assert_int_equal(st_proc_stat("37 (a", &stat), -EBADMSG);
    assert_int_equal(st_proc_stat(")(", &stat), -EBADMSG);
    assert_int_equal(st_proc_stat("", &stat), -EBADMSG);
}

static void interrupts_have_numbers_and_names(void **state)
{
    char text[] = "           CPU0       CPU1\n"
                  "  16:         10          0  IR-IO-APIC   16-fasteoi   i801_smbus, snd_hda_intel:card0\n"
                  " 130:          0          7  IR-PCI-MSI 327680-edge      xhci_hcd\n"
                  " 131:          0          7  IR-PCI-MSI 327681-edge      \n"
                  " NMI:          1          1   Non-maskable interrupts\n"
                  " ERR:          0\n"
                  " 55:      3 GICv3  77 Level     dwc3\n"
                  " 25:          0      12345  PCI-MSIX-0000:00:05.0   1-edge      virtio3-event\n 56: 1";
    (void)state;
    assert_int_equal(st_linux_text_interrupts(text, note_interrupt, NULL), 0);
    assert_string_equal(noted,
                        "16|i801_smbus, snd_hda_intel:card0;130|xhci_hcd@0000:00:14.0;"
                        "131|IR-PCI-MSI 327681-edge@0000:00:14.0;55|dwc3;25|virtio3-event@0000:00:05.0;");
    char empty[] = "", other[] = "no heading\n1: 2  a\n";
    assert_int_equal(st_linux_text_interrupts(empty, note_interrupt, NULL), -EBADMSG);
    assert_int_equal(st_linux_text_interrupts(other, note_interrupt, NULL), -EBADMSG);
}

static void note_card(void *ctx, const struct st_sound_card *card)
{
    const size_t used = strlen(noted);
    (void)ctx;
    snprintf(noted + used, sizeof(noted) - used, "%u|%s|%s|%s;", card->number, card->driver, card->name,
             card->where);
}

static void cards_say_where_they_are(void **state)
{
    char text[] = " 0 [NVidia         ]: HDA-Intel - HDA NVidia\n"
                  "                      HDA NVidia at 0xfc080000 irq 97\n"
                  " 2 [Device         ]: USB-Audio - USB PnP Sound Device\n"
                  "                      C-Media USB PnP Sound Device at usb-0000:02:00.0-9.1.1, full s\n"
                  "no card\n 3 [cut ]: USB-Audio - cut";
    char none[] = "--- no soundcards ---\n";
    (void)state;
    st_linux_text_cards(text, note_card, NULL);
    assert_string_equal(noted, "0|HDA-Intel|HDA NVidia|HDA NVidia at 0xfc080000 irq 97;"
                               "2|USB-Audio|USB PnP Sound Device|C-Media USB PnP Sound Device at "
                               "usb-0000:02:00.0-9.1.1, full s;");
    noted[0] = '\0';
    st_linux_text_cards(none, note_card, NULL);
    assert_string_equal(noted, "");
}

static void compressed_swap_is_counted_apart(void **state)
{
    char text[] = "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 8 0 100\n/swap\\040file file 1 "
                  "0 -2\n/dev/dm-1 partition 1 0 -3\n";
    char none[] = "Filename Type Size\n", empty[] = "";
    struct st_swaps swaps;
    (void)state;
    assert_int_equal(st_linux_text_swaps(text, &swaps), 0);
    assert_int_equal(swaps.zram_n, 1);
    assert_int_equal(swaps.other_n, 2);
    assert_true(swaps.zram_first);
    assert_int_equal(st_linux_text_swaps(none, &swaps), 0);
    assert_int_equal(swaps.zram_n + swaps.other_n, 0);
    assert_int_equal(st_linux_text_swaps(empty, &swaps), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(settings_have_sections_and_comments, clear),
        cmocka_unit_test_setup(limits_that_set_the_soft_limit_count, clear),
        cmocka_unit_test_setup(relaxed_json_names_the_object_of_a_setting, clear),
        cmocka_unit_test_setup(relaxed_json_without_end_or_too_deep_is_survived, clear),
        cmocka_unit_test_setup(a_stat_line_gives_name_and_priority, clear),
        cmocka_unit_test_setup(a_stat_line_that_is_cut_is_refused, clear),
        cmocka_unit_test_setup(interrupts_have_numbers_and_names, clear),
        cmocka_unit_test_setup(cards_say_where_they_are, clear),
        cmocka_unit_test_setup(compressed_swap_is_counted_apart, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
