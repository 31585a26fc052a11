import { readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { type ContractOptions, createFileRule } from '@lockstep/toolkit/contract/file-rule';
import { type DocsPage, findPictures, type Picture } from './append-pages.ts';

/** Formats that every browser draws. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/**
 * Reads a page with the local pictures that it shows.
 *
 * @throws Error if one of these files can't be read, has a format that browsers don't draw, or is one that `createFileRule` would refuse to a
 *   contract in the folder of the page
 */
export function readPage(file: string, options?: ContractOptions): DocsPage {
  const markdown = read(file, `The page ${file}`).toString();
  const targets = findPictures(markdown);
  const refuses = createFileRule(file, options);
  const pictures = targets.map((target) => {
    const picture = join(dirname(file), target);
    const refusal = refuses(picture);
    if (refusal === undefined) return [target, readPicture(picture, file)] as const;
    throw new Error(`The picture ${target} of the page ${file} ${refusal.message}. ${refusal.fix}`);
  });
  return { file, markdown, pictures: Object.fromEntries(pictures) };
}

/** All inputs of a page, with its name, which is the title of a page without one. */
export function pageInputs({ file, markdown, pictures }: DocsPage): readonly string[] {
  return [basename(file), markdown, ...Object.entries(pictures).map((entry) => JSON.stringify(entry))];
}

function readPicture(file: string, page: string): Picture {
  const mediaType = mediaTypes[extname(file).toLowerCase()];
  if (mediaType === undefined)
    throw new Error(
      `The picture ${file} of the page ${page} can't be shown: use one of ${Object.keys(mediaTypes).join(', ')}.`,
    );
  const bytes = read(file, `The picture ${file} of the page ${page}`);
  const size = mediaType === 'image/svg+xml' ? svgSize(bytes.toString()) : {};
  return { address: `data:${mediaType};base64,${bytes.toString('base64')}`, ...size };
}

/** In pixels, if the root element has them: a browser then reserves the space before it draws the picture. */
function svgSize(svg: string): Pick<Picture, 'width' | 'height'> {
  const [root = ''] = /<svg\b[^>]*>/.exec(svg) ?? [];
  const [width, height] = ['width', 'height'].map((name) => new RegExp(`\\s${name}="(\\d+)"`).exec(root)?.[1]);
  return width === undefined || height === undefined ? {} : { width, height };
}

function read(file: string, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`${name} can't be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error });
  }
}
