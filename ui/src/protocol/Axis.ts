export type Axis = { 
/** Value at the beginning. */
from: number, 
/** Value at the end. */
to: number, 
/** Pixel at the beginning. */
start: number, 
/** Pixels long. */
length: number, 
/** "ns", "ticks" or "" (a count). */
unit: string, 
/** What it measures. */
title: string, };
