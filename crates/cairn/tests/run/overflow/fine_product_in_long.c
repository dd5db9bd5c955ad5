// One factor is converted before the multiplication.
int main(void)
{
    int width = 65536, height = 65536;
    long bytes = (long)width * height;
    return bytes == 1;
}
