/** The frame of a view that manages things of the service, for tokens that may. */
import type { ComponentChildren } from 'preact';
import { navigate, viewChange } from '../route.ts';
import { maySee, type Session } from '../session/session.ts';
import { Button } from './button.tsx';
import { ScopeNotice, type ScopeProps } from './notice.tsx';

interface ViewProps extends ScopeProps {
  readonly current: Session;
  readonly title: string;
  /** Where the settings lead here. */
  readonly settingOn?: 'phones' | 'all';
  readonly children?: ComponentChildren;
}

export function ManagedView({ current, title, needs, what, settingOn, children }: ViewProps) {
  return (
    <section class="view" aria-labelledby="managed-title">
      <header class="view-head">
        <div class="view-title">
          {settingOn !== undefined && (
            <div class={`on-${settingOn}`}>
              <Button
                kind="quiet"
                icon="back"
                label="Back to the settings"
                onClick={() => navigate(viewChange('settings'))}
              />
            </div>
          )}
          <h1 id="managed-title">{title}</h1>
        </div>
      </header>
      {maySee(current, needs) ? (
        <div class="managed scroll" tabIndex={0} role="region" aria-label={`All ${title.toLowerCase()}`}>
          {children}
        </div>
      ) : (
        <ScopeNotice needs={needs} what={what} />
      )}
    </section>
  );
}
