/* Prints the documents made from the table of keys: "gen_config example" and "gen_config mdoc". For
 * maintainers. */
#include "daemon/config/config.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "example") == 0)
        st_config_doc_example(stdout);
    else if (argc == 2 && strcmp(argv[1], "mdoc") == 0)
        st_config_doc_mdoc(stdout);
    else
        return 3;
    return fflush(stdout) == 0 ? 0 : 4;
}
