/* Functions whose machine code the tests disassemble, for any processor: no headers, no libraries. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

struct item {
    int key;
    float weight;
    double share;
    u8 bytes[24];
};

int (*hook)(int);
int counter;
static u8 table[256];

__attribute__((noipa)) int elsewhere(int a, const char *b)
{
    return a + b[0];
}
int add(int a, int b)
{
    return a + b * 3 - 100000;
}
u32 mixed(u32 a, u32 b)
{
    return (a ^ (b << 7)) + (a >> 3 | b << 29) - (~a & 0xff00ff00u);
}
int divided(int a, int b)
{
    return b ? a / b + a % 7 : -1;
}
u64 wide(u64 a, u64 b)
{
    return a * b + (a >> 9) - (b << 13);
}
i64 wide_compare(i64 a, i64 b)
{
    return a < b ? a - 1 : a > 3 * b ? b + 0x123456789abcdefll : 0;
}
float floats(float a, float b)
{
    return a * b + a / (b + 1.5f) - (float)(int)a;
}
double doubles(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i] > 2.5 ? a[i] : -a[i] / 3;
    return sum;
}
int converts(double a, float b, u32 c)
{
    return (int)a + (int)(c * b) + (a < b) + (a != a);
}
u32 checksum(const u8 *bytes, u32 count)
{
    u32 sum = 0xffffffffu;
    for (u32 i = 0; i < count; i++)
        for (sum ^= bytes[i]; sum & 1; sum = sum >> 1 ^ 0xedb88320u)
            ;
    return ~sum;
}
int chosen(int a)
{
    switch (a) {
    case 0:
        return elsewhere(1, "none");
    case 1:
        return elsewhere(a, "one");
    case 2:
        return 77;
    case 3:
        return counter++;
    case 4:
        return -a;
    case 5:
        return hook(a);
    case 6:
        return table[a * 3];
    default:
        return a * 5;
    }
}
void sorted(struct item *items, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && items[k].key < items[k - 1].key; k--) {
            struct item swap = items[k];
            items[k] = items[k - 1];
            items[k - 1] = swap;
        }
}
int recursive(int n)
{
    return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}
int searched(const int *a, int n, int key)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && a[low] == key ? low : -1;
}
void copied(u8 *to, const u8 *from, u32 n)
{
    while (n--)
        *to++ = (u8)(*from++ + 13);
}
void filled(int *to, int n, int value)
{
    for (int i = 0; i < n; i++)
        to[i] = value * i;
}
int called_through(int (*f)(int, int), int a)
{
    return f(a, 1) + f(1, a) + hook(a);
}
int locked(int *word)
{
    int seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    __atomic_store_n(word, seen + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return seen;
}
u32 bytes_of(u32 a)
{
    return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
}
int with_locals(int n)
{
    volatile int room[64];
    for (int i = 0; i < 64; i++)
        room[i] = n + i;
    return room[n & 63] + room[0];
}
int tail(int a)
{
    return elsewhere(a + 1, "tail");
}
int is_text(const char *text)
{
    for (; *text; text++)
        if ((*text < ' ' && *text != '\t') || *text == 127)
            return 0;
    return 1;
}
i64 clamped(i64 a, i64 low, i64 high)
{
    return a < low ? low : a > high ? high : a;
}
void stores(short *h, signed char *b, i64 *d, int v)
{
    h[3] = (short)v;
    b[-5] = (signed char)(v >> 8);
    d[100] = v;
    h[2] += b[7];
}
int nothing(void)
{
    return 0;
}
