// Opens the libraries that a variable names, each for itself, and calls them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *names = strdup(getenv("LIBRARIES"));
    int tasks = 0, calls = 0;
    int (*plugins[4])(int);
    for (char *name = strtok(names, ":"); name && calls < 4; name = strtok(NULL, ":")) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        plugins[calls++] = (int (*)(int))dlsym(library, "plugin");
    }
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < calls; i++)
            tasks += plugins[i](10 + i);
    printf("calls %d, tasks %d\n", calls, tasks);
    return 0;
}
