export type SpeedupPoint = { 
/** Number of workers. */
workers: number, 
/** work / (work / P + span): no greedy scheduler is slower. */
low: number, 
/** min(P, work / span): nothing is faster. */
high: number, };
