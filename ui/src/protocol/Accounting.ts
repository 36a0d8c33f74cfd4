export type Accounting = { 
/** Number of workers. */
workers: number, 
/** From the first start to the last end. */
elapsed: number, 
/** Time in the program's own code. */
work: number, 
/** Something was ready, a worker was not running it. */
delay: number, 
/** Nothing was ready for an idle worker. */
no_work: number, 
/** The critical path. */
span: number, };
