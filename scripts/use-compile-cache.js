/**
 * Loaded before the program by npm's scripts: with the cache, Node reads even its first file without the
 * compiler of TypeScript, which takes 13 MB. Plain JavaScript, so that it needs no compiler itself.
 */
import module from 'node:module';

module.enableCompileCache();
