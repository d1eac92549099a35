/* What sleeptune check saw of the music that played while it measured, as facts "music.*". */
#ifndef ST_ADVISOR_FACTS_MUSIC_H
#define ST_ADVISOR_FACTS_MUSIC_H

#include "core/base.h"

/* Keys. The report's JSON has them as its object "music", without the prefix. */
#define ST_MUSIC_PREFIX          "music."
#define ST_MUSIC_ANSWER          "music.answer"      /* sentences: always there if the music was watched */
#define ST_MUSIC_SERVER          "music.server"      /* "PipeWire"; absent: none was watched */
#define ST_MUSIC_DURATION_NS     "music.duration_ns" /* whole number: of watching */
#define ST_MUSIC_DROPOUTS        "music.dropouts"    /* whole number: device xruns and clients not ready */
#define ST_MUSIC_CLIENT          "music.client"      /* who made most of them */
#define ST_MUSIC_CLIENT_DROPOUTS "music.client_dropouts" /* whole number */
#define ST_MUSIC_REASON          "music.reason"          /* of most of that client's: "too-slow" */
#define ST_MUSIC_FRAMES          "music.frames"          /* whole number: what the server runs at */

/* What sleeptuned, which watches all the time, has counted: whole number, facts of their own */
#define ST_MUSIC_COUNTED "linux.sleeptuned.dropouts"

#endif
