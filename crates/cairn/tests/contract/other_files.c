// Functions of other files: results that the caller owns, arguments that are only used, and calls that do not return.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

struct config;
struct config *config_new(const char *name);
int config_set(struct config *config, const char *key, int value);
void config_free(struct config *config);
int register_config(struct config *config);
int fill(void *buffer, int size);
char *next_word(void);
void fatal(const char *message);

struct config *owned(void)
{
    struct config *config = config_new("a"); //~ leak
    if (!config)
        return NULL;
    if (config_set(config, "b", 1))
        return NULL;
    return config;
}

struct config *owned_and_freed(void)
{
    struct config *config = config_new("a");
    if (!config)
        return NULL;
    if (config_set(config, "b", 1)) {
        config_free(config);
        return NULL;
    }
    return config;
}

int registered(void)
{
    return register_config(config_new("a"));
}

int filled(int size)
{
    char *buffer = malloc(16); //~ leak
    if (fill(buffer, 16) < 0)
        return -1;
    free(buffer);
    return 0;
}

int borrowed(void)
{
    char *word = next_word();
    return word[0];
}

int not_closed(const char *path)
{
    DIR *folder = opendir(path); //~ leak
    if (!folder)
        return -1;
    if (!readdir(folder))
        return -2;
    closedir(folder);
    return 0;
}

int closed(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    closedir(folder);
    return 0;
}

int not_opened(const char *path)
{
    FILE *file = fopen(path, "r");
    int first = fgetc(file); //~ null-deref
    fclose(file);
    return first;
}

int fails(int *p)
{
    if (!p)
        fatal("no value");
    return *p;
}

int written(void)
{
    char name[8];
    fill(name, 8);
    int length = 0;
    while (name[length])
        length++;
    return length;
}

int counted(const char *path)
{
    DIR *folder = opendir(path);
    int number = 0;
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        number += entry->d_name[0] != '.';
    closedir(folder);
    return number;
}

int counted_and_lost(const char *path)
{
    DIR *folder = opendir(path); //~ leak
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] == '.')
            return 1;
    closedir(folder);
    return 0;
}
