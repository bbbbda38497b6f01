"""The two applications as the loop sees them: a private statistic, a way to train on its noisy release, a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpthesis.adaptive.candidates import Sensitivity
from dpthesis.adaptive.categorical_logistic import CategoricalLogistic, fit_categorical_logistic
from dpthesis.adaptive.image_head import Moments, fit_head
from dpthesis.adaptive.tree_model import Tree, fit_tree, marginal_counts
from dpthesis.data.tabular import People


class Task(Protocol):
    """What an experiment needs of an application; a record is one person, replaced by another in a neighbour."""

    @property
    def people(self) -> int:
        """Number of people in all."""

    @property
    def sensitivity(self) -> Sensitivity:
        """Sensitivity of the statistic under replace-one."""

    def statistic(self, rows: np.ndarray) -> np.ndarray:
        """Return the private statistic of the people `rows`, flat."""

    def train(self, release: np.ndarray, *, noise_sd: float, generator: np.random.Generator) -> Any:
        """Return a model from a noisy statistic and nothing else that is private."""

    def train_without_privacy(self, rows: np.ndarray) -> Any:
        """Return the model that the same people give without noise, the ceiling."""

    def correct(self, model: Any) -> np.ndarray:
        """Return whether the model is right about each person, shape (people,)."""


@dataclass(frozen=True)
class SyntheticDataTask:
    """Classify the first attribute of tabular people with a model trained on synthetic records.

    Attributes
    ----------
    table : People
        The first attribute is the target (two categories) and the tree's root.
    tree : Tree
        Made of the declared marginals.
    records : int
        Synthetic records drawn from each release.
    """

    table: People
    tree: Tree
    records: int

    def __post_init__(self) -> None:
        if self.table.sizes[0] != 2:
            raise ValueError(f"the target '{self.table.names[0]}' must have 2 categories, got {self.table.sizes[0]}")

    @property
    def people(self) -> int:
        """Number of people in all."""
        return len(self.table.codes)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the declared marginals together."""
        return self.tree.sensitivity

    def statistic(self, rows: np.ndarray) -> np.ndarray:
        """Return the declared marginals of the people `rows`."""
        return marginal_counts(self.tree, self.table.codes[rows])

    def train(self, release: np.ndarray, *, noise_sd: float, generator: np.random.Generator) -> CategoricalLogistic:
        """Draw synthetic records from the noisy marginals and fit the classifier to them; noise_sd is not needed."""
        return self._classifier(fit_tree(self.tree, release).sample(self.records, generator))

    def train_without_privacy(self, rows: np.ndarray) -> CategoricalLogistic:
        """Fit the classifier to the people themselves."""
        return self._classifier(self.table.codes[rows])

    def correct(self, model: CategoricalLogistic) -> np.ndarray:
        """Return whether each person's target is predicted."""
        return model.predict(self.table.codes[:, 1:]) == self.table.codes[:, 0]

    def _classifier(self, codes: np.ndarray) -> CategoricalLogistic:
        return fit_categorical_logistic(codes[:, 1:], codes[:, 0], self.table.sizes[1:])


@dataclass(frozen=True)
class ImageTask:
    """Classify images by a linear head on public features of norm at most 1, none negative."""

    features: np.ndarray
    labels: np.ndarray
    classes: int

    @property
    def moments(self) -> Moments:
        """Layout of the released second moments."""
        return Moments(self.features.shape[1], self.classes)

    @property
    def people(self) -> int:
        """Number of images; each is one record."""
        return len(self.labels)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the second moments."""
        return self.moments.sensitivity(non_negative=True)

    def statistic(self, rows: np.ndarray) -> np.ndarray:
        """Return the second moments of the images `rows`."""
        return self.moments.of(self.features[rows], self.labels[rows])

    def train(self, release: np.ndarray, *, noise_sd: float, generator: np.random.Generator) -> np.ndarray:
        """Solve for the head's weights; nothing is drawn."""
        return fit_head(self.moments, release, noise_sd=noise_sd)

    def train_without_privacy(self, rows: np.ndarray) -> np.ndarray:
        """Solve for the head's weights from the exact moments."""
        return fit_head(self.moments, self.statistic(rows), noise_sd=0.0)

    def correct(self, model: np.ndarray) -> np.ndarray:
        """Return whether each image's label has the largest score."""
        return np.argmax(self.features @ model, axis=1) == self.labels
