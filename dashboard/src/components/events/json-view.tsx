import { useCopy } from '../../lib/use-copy.ts';
import { CopyButton } from '../copy-button.tsx';
import { ScrolledText } from '../scrolled-text.tsx';
import classes from './events.module.css';

/** JSON with colors and a copy button. */
export function JsonView({ label, value }: { label: string; value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  const { ref, ...copying } = useCopy(text);
  return (
    <div className={classes.json}>
      <CopyButton {...copying} label={label} variant="default" size="sm" className={classes.copy} />
      <ScrolledText label={label} ref={ref}>
        {tokensOf(text).map(({ kind, part, at }) => (
          <span key={at} data-kind={kind}>
            {part}
          </span>
        ))}
      </ScrolledText>
    </div>
  );
}

type Token = { kind: 'name' | 'text' | 'value' | undefined; part: string; at: number };

const tokenPattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^"\w-]+|./g;

/** Names, texts and other values, with what is between them. */
function tokensOf(json: string): Token[] {
  return [...json.matchAll(tokenPattern)].map(({ 0: part, 1: quoted, 2: colon, index: at }) => ({
    kind: quoted === undefined ? (/^[\w-]/.test(part) ? 'value' : undefined) : colon === undefined ? 'text' : 'name',
    part,
    at,
  }));
}
