/** Thousandths of a CPU core. */
export type MilliCpu = number;
export type Bytes = number;
/** Milliseconds since the scenario's start. */
export type SimMs = number;
