#include "lab/analyse/tick_rate.h"

#include <math.h>

#include "lab/analyse/periodic.h"

#define ABOUT        0.12 /* of a tick's length */
#define ABOUT_HZ_MAX 1024 /* faster ones are no scheduler's */

int st_tick_rate_of(double tick_ns, double tick_sd_ns)
{
    const double hz = 1e9 / tick_ns;
    const double within = hz * (4 * tick_sd_ns / tick_ns + ST_TICK_DRIFT_MAX_PPM * 1e-6);
    int best = 0;
    for (size_t i = 0; i < st_periodic_usual_hz_n; i++) {
        const int usual = st_periodic_usual_hz[i];
        if (fabs(usual - hz) <= within && (best == 0 || fabs(usual - hz) < fabs(best - hz)))
            best = usual;
    }
    if (best == 0 && hz >= 1 && hz <= 1e6 && within < 0.5 && fabs(nearbyint(hz) - hz) <= within)
        best = (int)nearbyint(hz);
    return best;
}

bool st_tick_rate_is_usual(int hz)
{
    for (size_t i = 0; i < st_periodic_usual_hz_n; i++) {
        if (st_periodic_usual_hz[i] == hz)
            return true;
    }
    return false;
}

int st_tick_rate_about(double length_ns)
{
    for (size_t i = 0; i < st_periodic_usual_hz_n; i++) { /* the commonest first */
        if (st_periodic_usual_hz[i] <= ABOUT_HZ_MAX &&
            fabs(length_ns * st_periodic_usual_hz[i] / 1e9 - 1) < ABOUT)
            return st_periodic_usual_hz[i];
    }
    return 0;
}
