/** How every page of ours is bundled. What a page is made of, and where it goes, its own build says. */
import type { BuildEnvironmentOptions, InlineConfig } from 'vite';

/** Browsers that know `light-dark()` and nested reading of streams. */
const target = ['chrome123', 'firefox124', 'safari17.5'];

/** @param root folder of the page. @param outDir is emptied first. @param rolldownOptions what the page has beside its `index.html`. */
export function toPageConfig(
  root: string,
  outDir: string,
  rolldownOptions: NonNullable<BuildEnvironmentOptions['rolldownOptions']> = {},
): InlineConfig {
  return {
    root,
    configFile: false,
    envDir: false,
    // Relative: the page works below any base path.
    base: './',
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target,
      cssTarget: target,
      // Nothing inline: the policy of the page forbids it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions,
    },
  };
}
