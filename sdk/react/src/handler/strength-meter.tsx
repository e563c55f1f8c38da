import type { PlainText } from '../texts/texts.ts';
import { useTexts } from '../texts/use-texts.ts';
import type { Strength } from './password-strength.ts';

const labels: Readonly<Record<Exclude<Strength, 0>, PlainText>> = {
  1: 'Weak password',
  2: 'Fair password',
  3: 'Good password',
  4: 'Strong password',
};
const BARS = [1, 2, 3, 4];

/** Takes the same space for each strength, so that nothing moves while the user types. */
export function StrengthMeter({ strength }: { strength: Strength }) {
  const { t } = useTexts();
  return (
    <span className="gbh-strength" data-strength={strength}>
      <span aria-live="polite">{strength > 0 && t(labels[strength as Exclude<Strength, 0>])}</span>
      <span className="gbh-strength-bars" aria-hidden="true">
        {BARS.map((bar) => (
          <i key={bar} data-on={bar <= strength} />
        ))}
      </span>
    </span>
  );
}
