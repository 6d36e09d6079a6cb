/* Holds the joints of a body where they start, as hold.py does, in the binary layout.

   cc -O2 -ffp-contract=off -o hold hold.c

   In a scene: controller: { type: process, command: [ ./hold ], layout: binary }
   Each message is its length in 4 bytes, little-endian, and that many bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double KP = 60.0, KD = 6.0;

/* The next message, and its length in bytes; NULL at the end of the run. */
static void *receive(uint32_t *length) {
    if (fread(length, 4, 1, stdin) != 1) return NULL;
    void *message = malloc(*length + 1);
    if (message && fread(message, 1, *length, stdin) != *length) { free(message); return NULL; }
    return message;
}

int main(void) {
    uint32_t length;
    free(receive(&length)); /* the description of the body, in JSON */
    double *start = NULL, *state;
    while ((state = receive(&length))) {
        /* The step (a 64-bit integer), the time, n displacements, n velocities, 13 numbers of the root. */
        uint32_t n = (length / 8 - 15) / 2, size = 8 * n;
        double *q = state + 2, *dq = q + n, *efforts = malloc(size + 1);
        if (!start) start = memcpy(malloc(size + 1), q, size);
        for (uint32_t i = 0; i < n; i++) efforts[i] = KP * (start[i] - q[i]) - KD * dq[i];
        fwrite(&size, 4, 1, stdout);
        fwrite(efforts, 8, n, stdout);
        fflush(stdout);
        free(efforts);
        free(state);
    }
    return 0;
}
