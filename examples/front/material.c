/* The library: temperature from energy, by an iteration. In a melting material energy hardly changes the temperature, and the
 * iteration takes about four times as many steps: that is where the program becomes uneven. */
#include <math.h>

#include "material.h"

/* Energy of a material of this temperature, with the heat of melting spread around 1.5. */
__attribute__((noinline)) static double energy_at(double temperature) {
    return temperature + 2.0 / (1.0 + exp(-40.0 * (temperature - 1.5)));
}

/* Steps that are safe: short ones where the curve is steep. */
__attribute__((noinline)) static double step_for(double energy) { return energy > 1.0 && energy < 4.0 ? 0.002 : 0.09; }

double temperature_of(double energy) {
    double temperature = energy / 2, by = step_for(energy);
    for (int step = 0; step < 5000; step++) {
        double wrong = energy - energy_at(temperature);
        temperature += by * wrong;
        if (fabs(wrong) < 1e-7) break;
    }
    return temperature;
}
