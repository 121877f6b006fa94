/** Says that the service is not responding, and when the next try is. */
import { useEffect, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { connection, tryNow } from './connection.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';

export function AwayBanner() {
  const state = useValue(connection);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!state.isAway) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [state]);
  if (!state.isAway) return <div role="alert" />;
  const seconds = Math.max(1, Math.ceil((state.nextTryAt - now) / 1_000));
  return (
    <div class="away" role="alert">
      <Icon name="offline" />
      <p>
        <b>The service is not responding.</b> Your changes are safe.
      </p>
      <span class="small" aria-hidden="true">
        {state.isTrying ? 'Trying…' : `Next try in ${seconds} s`}
      </span>
      <Button isBusy={state.isTrying} onClick={() => void tryNow()}>
        Try now
      </Button>
    </div>
  );
}
