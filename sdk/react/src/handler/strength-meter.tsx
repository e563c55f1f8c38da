import { useEffect, useState } from 'react';
import type { PlainText } from '../texts/texts.ts';
import { useTexts } from '../texts/use-texts.ts';
import type { Strength } from './password-strength.ts';

const labels: Readonly<Record<Strength, PlainText | null>> = {
  0: null,
  1: 'Weak password',
  2: 'Fair password',
  3: 'Good password',
  4: 'Strong password',
};
const BARS = [1, 2, 3, 4];

type Props = { password: string; personal: readonly string[] };

/** Takes the same space for each strength, so that nothing moves while the user types. */
export function StrengthMeter(props: Props) {
  const { t } = useTexts();
  const strength = useStrength(props);
  const label = labels[strength];
  return (
    <span className="gbh-strength" data-strength={strength}>
      <span aria-live="polite">{label && t(label)}</span>
      <span className="gbh-strength-bars" aria-hidden="true">
        {BARS.map((bar) => (
          <i key={bar} data-on={bar <= strength} />
        ))}
      </span>
    </span>
  );
}

/** The estimate is loaded on demand, because few pages have new passwords. Without it, no strength is shown. */
function useStrength({ password, personal }: Props): Strength {
  const [estimate, setEstimate] = useState<((password: string, personal: readonly string[]) => Strength) | null>(null);
  useEffect(() => {
    import('./password-strength.ts').then(
      ({ passwordStrength }) => setEstimate(() => passwordStrength),
      () => undefined,
    );
  }, []);
  return estimate?.(password, personal) ?? 0;
}
