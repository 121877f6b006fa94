/**
 * Every vector: at least one for each kind of fault and of freedom that public JSON parsing suites try. The parser's tests
 * run them as text; the same table can be sent through a socket, where an empty body may have an error of its own.
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
