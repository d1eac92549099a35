/* What a module of sleeptune exports: a shared object that is loaded when its subcommand is used. */
#ifndef ST_CLI_MODULE_H
#define ST_CLI_MODULE_H

/** argv[0] is the subcommand's name. @return an st_exit. */
__attribute__((visibility("default"))) int st_module_run(int argc, char **argv);

#endif
