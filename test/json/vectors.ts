/**
 * All vectors: at least one per kind of error and of freedom in public JSON test suites. Can be
 * sent through a socket, too, where an empty body may have its own error.
 */
import type { JsonVector } from './vector-notation.ts';
import { acceptedVectors } from './vectors-accepted.ts';
import { chosenVectors } from './vectors-chosen.ts';
import { malformedVectors } from './vectors-malformed.ts';
import { malformedStringVectors } from './vectors-malformed-strings.ts';

export const vectors: readonly JsonVector[] = [
  ...acceptedVectors,
  ...malformedVectors,
  ...malformedStringVectors,
  ...chosenVectors,
];
