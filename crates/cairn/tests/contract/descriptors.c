// Descriptors that the code opens: each is closed, stored, returned or given away.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct connection { int socket; };

struct connection *connection_of(int socket);
_Bool watch(int descriptor);
void *wrap(int descriptor);

int current;

int not_closed(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY); //~ leak
    if (file < 0)
        return -1;
    if (fstat(file, &about))
        return -1;
    close(file);
    return 0;
}

int closed(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY);
    if (file < 0)
        return -1;
    if (fstat(file, &about)) {
        close(file);
        return -1;
    }
    close(file);
    return 0;
}

int returned(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

void stored(struct connection *connection)
{
    connection->socket = socket(AF_UNIX, SOCK_STREAM, 0);
}

void stored_in_a_global(const char *path)
{
    current = open(path, O_RDONLY);
}

struct connection *given_away(void)
{
    return connection_of(socket(AF_UNIX, SOCK_STREAM, 0));
}

int not_connected(struct sockaddr *address, socklen_t size)
{
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0); //~ leak
    if (connect(descriptor, address, size) < 0)
        return -1;
    return descriptor;
}

// `watch` has not taken the descriptor if it fails.
int refused(const char *path)
{
    int file = open(path, O_RDONLY); //~ leak
    if (!watch(file))
        return -1;
    return 0;
}

int refused_and_closed(const char *path)
{
    int file = open(path, O_RDONLY);
    if (!watch(file)) {
        close(file);
        return -1;
    }
    return 0;
}

// Nothing tells whether `watch` has failed.
int perhaps_refused(const char *path)
{
    return watch(open(path, O_RDONLY));
}

static int helper(const char *path)
{
    return open(path, O_RDONLY); //~ leak
}

void lost_by_the_caller(const char *path)
{
    helper(path);
}

struct connection *in_a_new_object(void)
{
    struct connection *connection = malloc(sizeof *connection);
    connection->socket = socket(AF_UNIX, SOCK_STREAM, 0);
    return connection;
}
