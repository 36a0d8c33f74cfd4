export type Fact = { 
/** What. */
name: string, 
/** How much. */
value: number, 
/** "ns", "ticks", "" (count), "ratio". */
unit: string, };
