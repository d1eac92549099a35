/* Which client of a JACK server made its cycle late. */
#include "xruns/helpers/jack_late.h"

#define PIECES_US 250000

static size_t find(const struct st_jack_graph *graph, const char *name)
{
    size_t at = 0;
    while (at < graph->n && strcmp(graph->names[at], name) != 0)
        at++;
    return at < graph->n ? at : ST_JACK_CLIENTS_MAX;
}

size_t st_jack_late_client(struct st_jack_graph *graph, const char *name)
{
    const size_t at = find(graph, name);
    if (at < ST_JACK_CLIENTS_MAX)
        return at;
    graph->more |= graph->n == ST_JACK_CLIENTS_MAX;
    if (graph->more)
        return ST_JACK_CLIENTS_MAX;
    snprintf(graph->names[graph->n], ST_JACK_NAME_BYTES, "%s", name);
    return graph->n++;
}

/* Does the sound of `from` reach `to`, perhaps through others? */
static bool reaches(const struct st_jack_graph *graph, const char *from, const char *to)
{
    bool seen[ST_JACK_CLIENTS_MAX] = {false};
    size_t next[ST_JACK_CLIENTS_MAX], n = 0;
    const size_t start = find(graph, from), end = find(graph, to);
    if (start == ST_JACK_CLIENTS_MAX || end == ST_JACK_CLIENTS_MAX)
        return false;
    for (next[n++] = start; n > 0;) {
        const size_t at = next[--n];
        for (size_t i = 0; i < graph->n; i++) {
            if (!graph->feeds[at][i] || seen[i])
                continue;
            seen[i] = true;
            next[n++] = i;
        }
    }
    return seen[end];
}

void st_jack_late_take(struct st_jack_late *late, const char *name, bool ran)
{
    for (size_t i = 0; i < late->n; i++) {
        if (strcmp(late->clients[i].name, name) != 0)
            continue;
        late->first_over = true; /* the server names each once a cycle */
        late->clients[i].ran_later |= ran;
        return;
    }
    /* who is late only later follows from what the others did */
    if (late->first_over || late->n == ST_JACK_CLIENTS_MAX)
        return;
    snprintf(late->clients[late->n].name, ST_JACK_NAME_BYTES, "%s", name);
    late->clients[late->n++].ran = ran;
}

size_t st_jack_late_judge(struct st_jack_late *late, const struct st_jack_graph *graph)
{
    bool may[ST_JACK_CLIENTS_MAX];
    bool any_ran = false, any_later = false;
    size_t held_n = 0;
    late->probable = graph->more;
    for (size_t i = 0; i < late->n; i++) {
        late->probable |= find(graph, late->clients[i].name) == ST_JACK_CLIENTS_MAX;
        any_ran |= late->clients[i].ran;
    }
    for (size_t i = 0; i < late->n; i++)
        may[i] = late->clients[i].ran || !any_ran;
    for (size_t i = 0; i < late->n; i++) {
        late->clients[i].held = may[i];
        for (size_t j = 0; j < late->n; j++) /* of a circle none is the first */
            late->clients[i].held &= j == i || !may[j] ||
                                     !reaches(graph, late->clients[j].name, late->clients[i].name) ||
                                     reaches(graph, late->clients[i].name, late->clients[j].name);
        any_later |= late->clients[i].held && late->clients[i].ran_later;
    }
    for (size_t i = 0; i < late->n; i++) {
        late->clients[i].held &= any_ran || !any_later || late->clients[i].ran_later;
        held_n += late->clients[i].held;
    }
    return held_n;
}

bool st_jack_late_held(const struct st_jack_late *late, const char *name)
{
    size_t i = 0;
    while (i < late->n && (!late->clients[i].held || strcmp(late->clients[i].name, name) != 0))
        i++;
    return i < late->n;
}

bool st_jack_late_continues(const struct st_jack_late *late, const struct st_jack_late *before,
                            int64_t after_us)
{
    bool same = after_us < PIECES_US;
    for (size_t i = 0; i < late->n; i++)
        same = same && (!late->clients[i].held ||
                        (!late->clients[i].ran && st_jack_late_held(before, late->clients[i].name)));
    return same;
}
