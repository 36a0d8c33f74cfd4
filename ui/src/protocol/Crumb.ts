export type Crumb = { 
/** The node. */
node: number, 
/** A short name. */
title: string, };
