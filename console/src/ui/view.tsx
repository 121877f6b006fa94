/** The frame of a view. */
import type { ComponentChildren } from 'preact';
import { navigate, type ViewName, viewChange, viewTitles } from '../route.ts';
import { Button } from './button.tsx';

interface ViewProps {
  readonly name: ViewName;
  readonly back?: 'plants' | 'settings' | undefined;
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function View({ name, back, head, children }: ViewProps) {
  return (
    <section class={`view view-${name}`} aria-labelledby="view-title">
      <header class="view-head">
        <div class="view-title">
          {back !== undefined && (
            <Button
              kind="quiet"
              icon="back"
              label={back === 'plants' ? 'Back to the list' : 'Back to the settings'}
              onClick={() => navigate(viewChange(back))}
            />
          )}
          <h1 id="view-title">{viewTitles[name]}</h1>
        </div>
        {head}
      </header>
      {children}
    </section>
  );
}
