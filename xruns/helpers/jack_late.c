/* Finds out which client of a JACK server made its cycle late. */
#include "xruns/helpers/jack_late.h"

#include "core/text/text.h"

#define PIECES_US 250000

size_t st_jack_late_find(const struct st_jack_graph *graph, const char *name)
{
    for (size_t at = 0; at < graph->n; at++) {
        if (st_text_is(graph->names[at], name))
            return at;
    }
    return ST_JACK_CLIENTS_MAX;
}

size_t st_jack_late_client(struct st_jack_graph *graph, const char *name)
{
    const size_t at = st_jack_late_find(graph, name);
    if (at < ST_JACK_CLIENTS_MAX || name[0] == '\0')
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
    const size_t start = st_jack_late_find(graph, from), end = st_jack_late_find(graph, to);
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
    ST_EACH_OF (client, late->clients, late->n) {
        if (!st_text_is(client->name, name))
            continue;
        /* the server names a client once a cycle, so the first cycle is over */
        late->first_over = true;
        client->ran_later |= ran;
        return;
    }
    /* a client that is late only in a later cycle is late because of the others */
    if (late->first_over || late->n == ST_JACK_CLIENTS_MAX)
        return;
    snprintf(late->clients[late->n].name, ST_JACK_NAME_BYTES, "%s", name);
    late->clients[late->n++].ran = ran;
}

size_t st_jack_late_judge(struct st_jack_late *late, const struct st_jack_graph *graph)
{

    bool any_ran = false, any_later = false;
    size_t held_n = 0;
    late->probable = graph->more;
    ST_EACH_OF (client, late->clients, late->n) {
        late->probable |= st_jack_late_find(graph, client->name) == ST_JACK_CLIENTS_MAX;
        any_ran |= client->ran;
    }
    ST_EACH_OF (client, late->clients, late->n) {
        client->held = client->ran || !any_ran;
        ST_EACH_OF (other, late->clients,
                    late->n) /* in a circle of clients, no client is the first */
            client->held &= other == client || (!other->ran && any_ran) ||
                            !reaches(graph, other->name, client->name) ||
                            reaches(graph, client->name, other->name);
        any_later |= client->held && client->ran_later;
    }
    ST_EACH_OF (client, late->clients, late->n) {
        client->held &= any_ran || !any_later || client->ran_later;
        held_n += client->held;
    }
    return held_n;
}

bool st_jack_late_held(const struct st_jack_late *late, const char *name)
{
    ST_EACH_OF (client, late->clients, late->n) {
        if (client->held && st_text_is(client->name, name))
            return true;
    }
    return false;
}

bool st_jack_late_continues(const struct st_jack_late *late, const struct st_jack_late *before,
                            int64_t after_us)
{
    bool same = after_us < PIECES_US;
    ST_EACH_OF (client, late->clients, late->n)
        same = same && (!client->held || (!client->ran && st_jack_late_held(before, client->name)));
    return same;
}
