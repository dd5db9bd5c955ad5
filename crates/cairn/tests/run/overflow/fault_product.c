// The product has 33 bits.
int main(void)
{
    int width = 65536, height = 65536;
    long bytes = width * height; //~ overflow
    return bytes == 1;
}
