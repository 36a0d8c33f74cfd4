export type Hit = { 
/** The node. */
node: number, 
/** One line that names it. */
title: string, 
/** Its work in the clock's unit. */
work: number, };
