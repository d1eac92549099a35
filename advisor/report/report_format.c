/* The formats of a report. */
#include "advisor/report/report_format.h"

const struct st_report_format *const st_report_formats[] = {
    &st_report_text,
    &st_report_json,
    &st_report_prometheus,
    NULL,
};

int st_report_format_write(const struct st_report_format *format, const struct st_report *report, FILE *out,
                           const struct st_report_view *view)
{
    const int r = format->write(report, out, view);
    if (r != 0)
        return r;
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : -EIO;
}
