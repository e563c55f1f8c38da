import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import { countryName } from '../../lib/country-name.ts';
import { depthOf } from './country-levels.ts';
import classes from './world-map.module.css';
import { mapSize, places, shapes } from './world-shapes.ts';

type Props = {
  /** Users by country code. */
  counts: ReadonlyMap<string, number>;
  levels: readonly number[];
  chosen: string | null;
  onPoint: (country: string | null) => void;
  onChoose: (country: string) => void;
};

const dotSize = 5;
const isDrawn = (country: string): boolean => country in shapes || country in places;

/** Countries by how many users they have; small ones are dots. The numbers are in a table. */
export function WorldMap({ counts, levels, chosen, onPoint, onChoose }: Props) {
  const shapeProps = (country: string) => {
    const count = counts.get(country) ?? 0;
    return {
      className: classes.country ?? '',
      style: { '--depth': `${100 * depthOf(count, levels)}%` } as CSSProperties,
      ...(country === chosen && { 'data-chosen': true }),
      ...(count > 0 && {
        'data-country': country,
        onPointerEnter: () => onPoint(country),
        onPointerLeave: () => onPoint(null),
        onClick: () => onChoose(country),
      }),
    };
  };
  const dots = Object.entries(places).filter(([country]) => counts.has(country));
  const absent = [...counts.keys()].filter((country) => !isDrawn(country));
  return (
    <>
      <svg aria-hidden="true" viewBox={`0 0 ${mapSize.width} ${mapSize.height}`} className={classes.map}>
        {Object.entries(shapes).map(([country, path]) => (
          <path key={country} d={path} {...shapeProps(country)} />
        ))}
        {chosen !== null && shapes[chosen] && <path d={shapes[chosen]} className={classes.outline} />}
        {dots.map(([country, [x, y]]) => (
          <circle key={country} cx={x} cy={y} r={dotSize} {...shapeProps(country)} />
        ))}
      </svg>
      {absent.length > 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Not on the map: {absent.map(countryName).join(', ')}.</Trans>
        </Text>
      )}
    </>
  );
}
