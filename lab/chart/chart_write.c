/* Puts a picture together: lays out its page and writes the file. */
#include "core/text/text.h"
#include "lab/chart/picture.h"
#include "platform/program/options.h"
#include "platform/program/output.h"

#define RIGHT_PX  26.0
#define TITLE_PX  17.0
#define LINE_PX   17.0 /* distance from one line of text to the next */
#define LEGEND_PX 36.0 /* length of the line in front of a name in the legend */
#define WIDTH_PX  800.0

static const struct st_picture_kind *const kinds[ST_CHART_KINDS] = {
    [ST_CHART_BOX] = &st_picture_box,
    [ST_CHART_SERIES] = &st_picture_series,
    [ST_CHART_LINE] = &st_picture_line,
    [ST_CHART_SLICES] = &st_picture_slices,
};

/* --- the page --- */

/* Removes the last word, which may have been cut. @return text. */
static char *cut_word(char *text)
{
    char *space = strrchr(text, ' ');
    if (space != NULL)
        *space = '\0';
    return text;
}

/* Wraps text at spaces and draws it unless svg is NULL. @param lines_max most lines; the text after
 * them is cut. @return the number of lines. */
static int paragraph(struct st_svg *svg, double y, double width, const char *text, int lines_max)
{
    /* the average character is narrower than 0.6 of the font's size */
    const int columns = (int)(width / (0.6 * ST_PICTURE_TEXT_PX)) * 21 / 20;
    char *lines = NULL, *rest = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&lines, &bytes);
    int n = 0;
    if (stream == NULL)
        return 0;
    st_text_wrap(stream, text, 0, columns);
    fclose(stream);
    for (char *line = lines != NULL ? strtok_r(lines, "\n", &rest) : NULL;
         line != NULL && n < lines_max; line = strtok_r(NULL, "\n", &rest)) {
        char shown[512] = "";
        const bool cut = n + 1 == lines_max && rest != NULL && rest[0] != '\0';
        st_text_append(shown, sizeof(shown) - 8, "%s", line);
        if (cut)
            st_text_append(cut_word(st_text_clip(shown, columns - 2)), sizeof(shown), " …");
        if (svg != NULL)
            st_picture_text(svg, ST_PICTURE_MARGIN_PX, y + n * LINE_PX, ST_ANCHOR_START,
                            ST_PICTURE_SOFT, shown);
        n++;
    }
    free(lines);
    return n;
}

static void legend(const struct st_picture *picture, struct st_svg *svg, double y)
{
    char text[ST_CHART_NAME_BYTES + 40], name[ST_CHART_NAME_BYTES];
    st_svg_begin(svg, "legend");
    for (size_t i = 0; i < picture->data->n; i++) {
        const struct st_chart_set *set = picture->data->set[i];
        struct st_pen pen = st_picture_pen(i);
        pen.dash = ST_DASH_NONE;
        const struct st_point middle = {ST_PICTURE_MARGIN_PX + LEGEND_PX / 2, y - 4};
        const struct st_point line[] = {{middle.x - LEGEND_PX / 2, middle.y},
                                        {middle.x + LEGEND_PX / 2, middle.y}};
        st_svg_segments(svg, line, 2, &pen);
        st_picture_marker(svg, middle, i, pen.rgb, NULL);
        ST_PRINT(text, "%s, n = %llu", st_chart_name(picture->data, set, name),
                 (unsigned long long)set->n);
        st_picture_text(svg, ST_PICTURE_MARGIN_PX + LEGEND_PX + 8, y, ST_ANCHOR_START,
                        ST_PICTURE_INK, text);
        y += LINE_PX;
    }
    st_svg_end(svg);
}

static bool has_legend(const struct st_picture *picture)
{
    return picture->data->overlay && picture->data->n > 1;
}

static double head_px(const struct st_picture *picture)
{
    return ST_PICTURE_MARGIN_PX + TITLE_PX + 12 +
           (has_legend(picture) ? (double)picture->data->n * LINE_PX : 0);
}

static double panel_px(const struct st_picture *picture)
{
    return ST_PICTURE_PANEL_PX + picture->under_px;
}

/* Draws the text at the bottom: how to read the picture, the caption, the test conditions. If svg
 * is NULL, only counts lines. @return the number of lines. */
static int foot(const struct st_picture *picture, struct st_svg *svg, double y)
{
    const double width = picture->width - 2 * ST_PICTURE_MARGIN_PX;
    int lines = paragraph(svg, y, width, picture->how, INT_MAX);
    lines += paragraph(svg, y + lines * LINE_PX, width, picture->caption, INT_MAX);
    return lines +
           paragraph(svg, y + lines * LINE_PX, width, picture->conditions, ST_PICTURE_CONDITIONS);
}

static double height_px(const struct st_picture *picture)
{
    const int lines = foot(picture, NULL, 0);
    const size_t rows = (picture->panels_n + picture->columns_n - 1) / picture->columns_n;
    return ceil(head_px(picture) + (double)rows * panel_px(picture) + lines * LINE_PX +
                ST_PICTURE_MARGIN_PX + 8);
}

static void draw(const struct st_picture *picture, struct st_svg *svg)
{
    char title[200];
    struct st_font font = {.size = TITLE_PX, .rgb = ST_PICTURE_INK, .bold = true, .role = "title"};
    const struct st_pen edge = {ST_PICTURE_GRID, 1, ST_DASH_NONE};
    st_picture_title(picture, title, sizeof(title));
    const double room = svg->width - 2 * ST_PICTURE_MARGIN_PX;
    font.size = fmin(TITLE_PX, TITLE_PX * room / st_picture_text_px(title, TITLE_PX));
    st_picture_rectangle(svg, 0.5, 0.5, svg->width - 1, svg->height - 1, 0xffffff, &edge);
    st_svg_text(svg, ST_PICTURE_MARGIN_PX, ST_PICTURE_MARGIN_PX + TITLE_PX, title, &font);
    if (has_legend(picture))
        legend(picture, svg, ST_PICTURE_MARGIN_PX + TITLE_PX + 12 + LINE_PX - 4);
    double y = head_px(picture);
    const double column_px = svg->width / (double)picture->columns_n;
    for (size_t i = 0; i < picture->panels_n; i++) {
        const size_t column = i % picture->columns_n;
        struct st_picture_area area = {
            .svg = svg,
            .x = (double)column * column_px + ST_PICTURE_LEFT_PX,
            .y = y + 26,
            .width = column_px - ST_PICTURE_LEFT_PX - RIGHT_PX,
            .height = ST_PICTURE_PANEL_PX - 30,
        };
        st_svg_begin(svg, "panel");
        picture->kind->draw(picture, i, &area);
        st_svg_end(svg);
        if (column + 1 == picture->columns_n || i + 1 == picture->panels_n)
            y += panel_px(picture);
    }
    st_svg_begin(svg, "caption");
    foot(picture, svg, y + 16);
    st_svg_end(svg);
}

/* --- the file --- */

static int draw_on(const struct st_picture *picture, FILE *stream)
{
    struct st_svg svg;
    char title[200];
    st_picture_title(picture, title, sizeof(title));
    const int r =
        st_svg_open(&svg, picture->width, height_px(picture), title, picture->description);
    if (r != 0)
        return r;
    draw(picture, &svg);
    return st_svg_finish(&svg, stream);
}

static int write_picture(const struct st_picture *picture, const char *path)
{
    const char *name = path != NULL && strcmp(path, "-") != 0 ? path : "standard output";
    struct st_output output;
    int r = st_output_open(&output, path);
    if (r != 0)
        return st_failure("cannot write %s: %s", name, st_destination_error(r));
    r = draw_on(picture, output.stream);
    const int closed = st_output_close(&output, r == 0);
    r = r != 0 ? r : closed;
    return r == 0 ? ST_EXIT_DONE : st_failure("cannot write %s: %s", name, st_destination_error(r));
}

/* --- which sets are drawn, and as which kind of picture --- */

/* Adds the name of its file to each label if there are several files. */
static void name_files(struct st_chart_data *data)
{
    bool several = false;
    for (size_t i = 1; i < data->n; i++)
        several = several || strcmp(data->set[i]->file, data->set[0]->file) != 0;
    for (size_t i = 0; several && i < data->n; i++) {
        struct st_chart_set *set = data->set[i];
        if (strcmp(set->label, set->file) == 0)
            continue;
        char label[sizeof(set->label)] = "";
        ST_APPEND(label, "%s: %s", set->file, set->label);
        memcpy(set->label, label, sizeof(label));
    }
}

/* Sorts the sets by group, in the order of the first set of each group, and within a group by
 * label. If there are several files, labels name their file. */
static void gather(struct st_chart_data *data)
{
    for (size_t i = 1; i < data->n; i++) {
        struct st_chart_set *set = data->set[i];
        size_t at = i, same = 0;
        for (size_t k = 0; k < i; k++) {
            const bool group = strcmp(data->set[k]->group, set->group) == 0;
            at = group ? k + 1 : at;
            same = group && strcmp(data->set[k]->label, set->label) == 0 ? k + 1 : same;
        }
        at = same > 0 ? same : at;
        memmove(&data->set[at + 1], &data->set[at], (i - at) * sizeof(data->set[0]));
        data->set[at] = set;
    }
    name_files(data);
}

/* Computes the box of each set that has single values. @return 0, -ENOMEM. */
static int complete(struct st_chart_data *data)
{
    ST_EACH_OF (row, data->set, data->n) {
        struct st_chart_set *set = *row;
        if (set->series.n == 0 || set->sample.n > 0)
            continue;
        const int r = st_series_sample(&set->series, &set->sample);
        if (r != 0)
            return r;
        set->n = set->series.n;
        st_box_of(&set->sample, &set->box);
    }
    return 0;
}

/* Moves the sets that a kind can draw to the front. @return their number. */
static size_t keep(struct st_chart_data *data, const struct st_picture_kind *kind)
{
    size_t kept = 0;
    ST_EACH_OF (row, data->set, data->n) {
        struct st_chart_set *set = *row;
        if (kind->has(set)) {
            *row = data->set[kept];
            data->set[kept++] = set;
        }
    }
    return kept;
}

/* Counts the sets that are not drawn and have no drawn set of the same file, label and group. */
static size_t left_out_n(const struct st_chart_data *data, size_t all_n, size_t kept_n)
{
    size_t n = 0;
    for (size_t i = kept_n; i < all_n; i++) {
        const struct st_chart_set *out = data->set[i];
        size_t k = 0;
        while (k < kept_n && (strcmp(out->file, data->set[k]->file) != 0 ||
                              strcmp(out->label, data->set[k]->label) != 0 ||
                              strcmp(out->group, data->set[k]->group) != 0))
            k++;
        n += k == kept_n;
    }
    return n;
}

static bool any(const struct st_chart_data *data, const struct st_picture_kind *kind)
{
    ST_EACH_OF (set, data->set, data->n) {
        if (kind->has(*set))
            return true;
    }
    return false;
}

/* Chooses the kind of picture if the user chose none: slices if the sets differ in the length of
 * the sleep; else a single set is drawn over time, and several sets are box plots side by side. */
static enum st_chart_kind usual_kind(const struct st_chart_data *data)
{
    const bool box = any(data, &st_picture_box);
    for (size_t i = 1; i < data->n; i++) {
        if (data->set[i]->x_ns != data->set[0]->x_ns && any(data, &st_picture_slices))
            return ST_CHART_SLICES;
    }
    if ((data->n == 1 || !box) && any(data, &st_picture_series))
        return ST_CHART_SERIES;
    return box ? ST_CHART_BOX : ST_CHART_ANY;
}

static int choose(struct st_chart_data *data, enum st_chart_kind *kind)
{
    char can[100] = "";
    if (*kind == ST_CHART_ANY)
        *kind = usual_kind(data);
    if (*kind == ST_CHART_ANY)
        return st_failure("these files have no figures to draw");
    if (any(data, kinds[*kind]))
        return ST_EXIT_DONE;
    ST_EACH_OF (one, kinds, ST_CHART_KINDS) {
        if (any(data, *one))
            st_text_join(can, sizeof(can), ", ", "%s", (*one)->name);
    }
    return st_failure("these files cannot be drawn as --kind %s; possible kinds: %s",
                      kinds[*kind]->name, can[0] != '\0' ? can : "none");
}

/* Adds the sentences that all kinds share to the caption. */
static void say_common(struct st_picture *picture, size_t out_n)
{
    const struct st_chart_data *data = picture->data;
    char *caption = picture->caption;
    const size_t bytes = sizeof(picture->caption);
    if (out_n > 0)
        st_text_append(caption, bytes,
                       " Results without figures for this picture are not drawn (%zu).", out_n);
    if (data->note[0] != '\0')
        st_text_append(caption, bytes, " %s", data->note);
    if (data->conditions[0] != '\0')
        ST_APPEND(picture->conditions, "Test conditions%s: %s.",
                  data->conditions_differ ? " of the first file (other files differ)" : "",
                  data->conditions);
}

/* Chooses the kind of picture, moves the sets that it draws to the front and plans the picture.
 * @return an st_exit, after a message. */
static int prepare(struct st_chart_data *data, const struct st_chart_options *options,
                   struct st_picture *ret)
{
    enum st_chart_kind kind = options->kind;
    int r = complete(data);
    if (r != 0)
        return st_failure("%s", strerror(-r));
    r = choose(data, &kind);
    if (r != ST_EXIT_DONE)
        return r;
    *ret = (struct st_picture){.id = kind,
                               .kind = kinds[kind],
                               .data = data,
                               .panels_n = 1,
                               .columns_n = 1,
                               .under_px = 46,
                               .width = WIDTH_PX};
    const size_t all_n = data->n, kept_n = keep(data, ret->kind),
                 out_n = left_out_n(data, all_n, kept_n);
    if (data->overlay && kept_n > ST_CHART_LINES_MAX)
        return st_failure("--overlay draws at most %d series, not %zu. Use --kind box.",
                          ST_CHART_LINES_MAX, kept_n);
    data->n = kept_n;
    r = ret->kind->plan(ret);
    if (r != 0) {
        data->n = all_n;
        return st_failure("%s", r == -ENODATA ? ret->caption : strerror(-r));
    }
    say_common(ret, out_n);
    return ST_EXIT_DONE;
}

int st_chart_write(struct st_chart_data *data, const struct st_chart_options *options)
{
    struct st_picture picture;
    const size_t all_n = data->n;
    gather(data);
    int r = prepare(data, options, &picture);
    if (r == ST_EXIT_DONE && options->svg != NULL)
        r = draw_on(&picture, options->svg) == 0 ? ST_EXIT_DONE : ST_EXIT_FAILURE;
    else if (r == ST_EXIT_DONE)
        r = write_picture(&picture, options->path);
    data->n = all_n;
    return r;
}

/* --- the option --plot FILE of commands that measure --- */

int st_chart_take_kind(void *ctx, const char *text)
{
    enum st_chart_kind *kind = ctx;
    for (enum st_chart_kind i = 0; i < ST_CHART_KINDS; i++) {
        if (strcmp(text, kinds[i]->name) == 0) {
            *kind = i;
            return 0;
        }
    }
    return st_failure_usage("--kind: '%s' is unknown; use box, series, line or slices", text);
}

int st_chart_can_write(const char *path)
{
    struct st_output output;
    int r = st_output_open(&output, path);
    if (r == 0)
        r = st_output_close(&output, false);
    if (r != 0)
        return st_failure("cannot write %s: %s", path, st_destination_error(r));
    return 0;
}

int st_chart_check(const char *option, const char *path)
{
    const size_t bytes = path != NULL ? strlen(path) : 0;
    if (path == NULL)
        return 0;
    if (bytes <= 4 || strcasecmp(path + bytes - 4, ".svg") != 0)
        return st_failure_usage("%s: '%s' does not end in .svg", option, path);
    return st_chart_can_write(path);
}

int st_chart_option_json(const char *name, const char *path, json_t *document, int status)
{
    const struct st_chart_options options = {.kind = ST_CHART_ANY, .path = path};
    struct st_chart_data data;
    int drawn = ST_EXIT_DONE;
    if (path != NULL) {
        st_chart_init(&data, "");
        drawn =
            document == NULL ? st_failure("out of memory") : st_chart_json(name, document, &data);
        if (drawn == ST_EXIT_DONE)
            drawn = st_chart_write(&data, &options);
        st_chart_finish(&data);
    }
    json_decref(document);
    return status != ST_EXIT_DONE ? status : drawn;
}
