/* What a material does when it is heated. */
#ifndef CROSSCUT_EXAMPLES_MATERIAL_H
#define CROSSCUT_EXAMPLES_MATERIAL_H

/* The temperature of a material with so much energy; it melts between 1 and 2. */
double temperature_of(double energy);

#endif
