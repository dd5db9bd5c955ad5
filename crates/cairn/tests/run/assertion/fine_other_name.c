// Functions with similar names are ordinary functions.
static int errors;

void reach_errors(void) { errors++; }
void verifier_error(void) { errors++; }

int main(void) {
    reach_errors();
    verifier_error();
    return errors - 2;
}
