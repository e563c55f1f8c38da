import { Trans } from '@lingui/react/macro';
import { Box } from '@mantine/core';
import classes from './logo.module.css';

/** A gate whose two doors are the pages of an open book. */
function LogoMark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
      <rect width="32" height="32" rx="7" className={classes.ground} />
      <path d="M7 25V14.5C7 10.4 10.2 8 16 8s9 2.4 9 6.5V25M16 8v17M4.5 25h23" className={classes.line} />
      <circle cx="13" cy="17.5" r="1.2" className={classes.knob} />
      <circle cx="19" cy="17.5" r="1.2" className={classes.knob} />
    </svg>
  );
}

export function Wordmark() {
  return (
    <Box component="span" className={classes.wordmark}>
      <LogoMark />
      <span>
        <Trans>Gatebook</Trans>
      </span>
    </Box>
  );
}
