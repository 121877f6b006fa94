/** A text to copy, such as a command. */
import { useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface CommandProps {
  readonly text: string;
  readonly what: string;
}

export function Command({ text, what }: CommandProps) {
  const code = useRef<HTMLPreElement>(null);
  return (
    <div class="command">
      <pre tabIndex={0} ref={code}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} source={() => code.current} />
    </div>
  );
}

interface CopyProps extends CommandProps {
  /** Selected where the browser does not allow copying: on a page without TLS. */
  readonly source: () => Node | null;
}

export function CopyButton({ text, what, source }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      const node = source();
      if (node !== null) getSelection()?.selectAllChildren(node);
    }
  };
  return (
    <Button
      kind="quiet"
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : `Copy ${what}`}
      onClick={() => void copy()}
    />
  );
}
