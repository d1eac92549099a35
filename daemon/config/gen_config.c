/* For maintainers: prints the documents that are made from the table of keys ("gen_config example",
 * "gen_config mdoc"). */
#include "core/text/text.h"
#include "daemon/config/config.h"

int main(int argc, char **argv)
{
    if (argc == 2 && st_text_is(argv[1], "example"))
        st_config_doc_example(stdout);
    else if (argc == 2 && st_text_is(argv[1], "mdoc"))
        st_config_doc_mdoc(stdout);
    else
        return 3;
    return fflush(stdout) == 0 ? 0 : 4;
}
