/** The frame of a view that manages things of the service, for tokens that may. */
import type { ComponentChildren } from 'preact';
import { navigate, viewChange } from '../route.ts';
import { maySee, type Session } from './session.ts';
import { Button } from '../ui/button.tsx';
import { ScopeNotice, type ScopeProps } from './notice.tsx';

interface ViewProps extends ScopeProps {
  readonly current: Session;
  readonly title: string;
  /** The settings lead here. */
  readonly isSetting?: boolean;
  /** In the line of the title. */
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function ManagedView({ current, title, needs, what, isSetting = false, action, children }: ViewProps) {
  return (
    <section class="view" aria-labelledby="managed-title">
      <header class="view-head">
        <div class="view-title">
          {isSetting && maySee(current, needs) && (
            <Button
              kind="quiet"
              icon="back"
              label="Back to the settings"
              onClick={() => navigate(viewChange('settings'))}
            />
          )}
          <h1 id="managed-title">{title}</h1>
        </div>
        {maySee(current, needs) && action}
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
