/** Compresses the image of a store that began as the seed. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Seed } from './seed.ts';

/**
 * Most of an image is the seed: with it as the dictionary, one further plant takes 300 bytes. Not
 * in other threads: each call that waits there takes a megabyte.
 */
export function pack(image: Uint8Array, seed: Seed): Uint8Array {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  // A copy, because the result is a small part of a large buffer.
  return new Uint8Array(zstdCompressSync(image, { dictionary: seed.image, params }));
}

/** @throws Error if it is damaged. */
export function unpack(image: Uint8Array, seed: Seed): Uint8Array {
  return zstdDecompressSync(image, { dictionary: seed.image });
}
