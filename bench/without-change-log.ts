/**
 * Preloaded by a service that shall not write the change log, which has no such setting: what the
 * log costs is measured against it.
 */
import { registerHooks } from 'node:module';

const replacement = new URL('no-change-writes.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.endsWith('/change-writes.ts') ? replacement : specifier, context),
});
