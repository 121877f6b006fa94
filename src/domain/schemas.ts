/** Generated from openapi.yaml by `npm run generate`. Do not edit. */

/** A plant without its identification number, as an answer shows it. */
export interface Plant {
  /**
   * The name of the plant: any Unicode text without U+0000, 0 to 1000 code points. A text with an unpaired surrogate
   * (half of a `\u` escape pair) is no Unicode text, and is refused.
   */
  readonly name: string;
  /**
   * Tag that specifies the type; absent is different from "". Any Unicode text without U+0000, 0 to 1000 code points;
   * unpaired surrogates are refused.
   */
  readonly tag?: string;
}

/** A plant with its identification number, as a request sends it. */
export interface NewPlant extends Plant {
  /**
   * Identification number of the plant: any int64. Any JSON number that is an integer in this range is taken, however
   * it is spelled (`7`, `7.0`, `70e-1`), up to 40 characters; a string is not.
   */
  readonly id: bigint;
}

/** The body of every answer that is not a success. */
export interface ErrorBody {
  /** Numeric error value, int32: the status x 100 + n. */
  readonly error: number;
  /** Error message text. */
  readonly message: string;
}

/** What this service is, and where to go from here. Links are relative to the address of this answer. */
export interface Root {
  /** The name of the service. */
  readonly name: string;
  /** The version of the description. */
  readonly version: string;
  /** What the service does, in one sentence. */
  readonly description: string;
  /** Link to documentation for people. */
  readonly documentation: string;
  /** Link to this description. */
  readonly openapi: string;
}

/** An OpenAPI description, version 3.1. */
export interface Description {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, unknown>>;
}

/** Says that the process lives. */
export interface Liveness {
  readonly status: 'live';
}

/** Says that the service takes requests. */
export interface Readiness {
  readonly status: 'ready';
}
