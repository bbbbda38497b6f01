"""Public image features: a bank of random filters that no data set had a part in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class FilterBank:
    """Random filters, a rectifier and average pooling, then clipping to norm 1.

    Parameters
    ----------
    filters : int
        Number of filters.
    size, stride : int
        Side of a filter and step between its places, in pixels.
    pool : int
        The map of each filter is averaged over pool × pool fields.
    """

    filters: int
    size: int
    stride: int
    pool: int

    @property
    def features(self) -> int:
        """Number of features: filters × pool²; none is negative."""
        return self.filters * self.pool**2

    def draw(self, generator: np.random.Generator) -> np.ndarray:
        """Draw the filters (filters, size, size): standard normal, mean 0 (blind to brightness), norm 1."""
        weights = generator.standard_normal((self.filters, self.size, self.size))
        weights -= weights.mean(axis=(1, 2), keepdims=True)
        return weights / np.sqrt((weights**2).sum(axis=(1, 2), keepdims=True))

    def apply(self, weights: np.ndarray, images: np.ndarray) -> np.ndarray:
        """Return the features (n, features) of `images` (n, height, width), each row of norm at most 1.

        Rows are scaled by 10 before clipping: with pixels in [0, 1] nearly every image then has norm 1, which makes
        its brightness count for nothing.

        Raises
        ------
        ValueError
            If the images are smaller than a filter, or their maps than the pooling fields.
        """
        windows = self._windows(images)
        if min(windows.shape[1:3]) < self.pool:
            raise ValueError(f"images of {images.shape[1:]} pixels give maps smaller than {self.pool} x {self.pool}")
        maps = np.maximum(np.einsum("nhwij,fij->nfhw", windows, weights, optimize=False), 0.0)
        return clipped(10.0 * self._pooled(maps))

    def _windows(self, images: np.ndarray) -> np.ndarray:
        if min(images.shape[1:]) < self.size:
            raise ValueError(f"images of {images.shape[1:]} pixels are smaller than a filter of {self.size}")
        windows = np.lib.stride_tricks.sliding_window_view(images, (self.size, self.size), axis=(1, 2))
        return windows[:, :: self.stride, :: self.stride]

    def _pooled(self, maps: np.ndarray) -> np.ndarray:
        rows, columns = (np.arange(self.pool) * side // self.pool for side in maps.shape[2:])
        sums = np.add.reduceat(np.add.reduceat(maps, rows, axis=2), columns, axis=3)
        heights = np.diff(np.append(rows, maps.shape[2]))
        widths = np.diff(np.append(columns, maps.shape[3]))
        return (sums / (heights[:, None] * widths)).reshape(len(maps), -1)


def clipped(rows: np.ndarray) -> np.ndarray:
    """Scale each row longer than 1 to norm 1."""
    norms = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return rows / np.maximum(norms, 1.0)
