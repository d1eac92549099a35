/* other_clock STEP: stereo floats of standard input as a card with another clock records them, on
 * standard output: each frame is STEP frames after the one before. What an analogue cable does. */
#include "tests/unit/ears/converter.h"

int main(int argc, char **argv)
{
    static struct converter converter;
    float in[256][2], out[300][2];
    if (argc != 2)
        return 3;
    converter_begin(&converter, strtod(argv[1], NULL), CONVERTER_TAPS / 2 + 2);
    while (fread(in, sizeof(in), 1, stdin) == 1) {
        size_t n = 0;
        for (size_t i = 0; i < ST_ARRAY_LEN(in); i++) {
            converter_put(&converter, in[i]);
            for (; converter_has(&converter) && n < ST_ARRAY_LEN(out); n++)
                converter_take(&converter, out[n]);
        }
        if (fwrite(out, sizeof(out[0]), n, stdout) != n || fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
