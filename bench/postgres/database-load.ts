/** What the programs are asked that load a database without the service. */

export interface DatabaseLoad {
  readonly url: string;
  /** Index of the first plant. */
  readonly first: number;
  /** Requests under way at once; for the bare loop, its connections. */
  readonly inFlight: number;
  readonly seconds: number;
  /** What the bare loop writes for each plant. */
  readonly tables?: 'plants' | 'plants and changes';
}
