package record

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// Goal is what an upgrade is to reach.
type Goal string

// The goals.
const (
	// Upgraded: all objects are stored in the storage versions of the package.
	Upgraded Goal = "Upgraded"
	// RolledBack: all objects are stored in the storage versions before the upgrade.
	RolledBack Goal = "RolledBack"
	// Pruned: the CRDs have no other version than those of a package.
	Pruned Goal = "Pruned"
)

// The types of conditions. Each goal is one, too: it is true when the goal is reached.
const (
	// Done: the goal of the spec is reached.
	Done = "Done"
	// Paused: the process that works waits.
	Paused = "Paused"
	// Blocked: the last process ended with an error.
	Blocked = "Blocked"
)

// Upgrade is a StorageUpgrade.
type Upgrade struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              Spec   `json:"spec"`
	Status            Status `json:"status,omitzero"`
}

// Spec is what is to be done.
type Spec struct {
	Plan    string `json:"plan"`
	Package string `json:"package"`
	Goal    Goal   `json:"goal"`
	Back    bool   `json:"back,omitempty"`
	Rate    int    `json:"rate,omitempty"`
	Paused  bool   `json:"paused,omitempty"`
	Kinds   []Kind `json:"kinds"`
}

// Kind is what is to be done with a kind.
type Kind struct {
	CRD  string `json:"crd"`
	UID  string `json:"uid,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to"`
	// Gone versions go with the upgrade, Added ones with its rollback.
	Gone    []string `json:"gone,omitempty"`
	Added   []string `json:"added,omitempty"`
	Rewrite bool     `json:"rewrite,omitempty"`
}

// Status is what was done.
type Status struct {
	Goal       Goal               `json:"goal,omitempty"`
	Holder     string             `json:"holder,omitempty"` // the process that works, or has worked last
	Stage      string             `json:"stage,omitempty"`
	Stages     []Stage            `json:"stages,omitempty"`
	Kinds      []KindStatus       `json:"kinds,omitempty"`
	References int                `json:"references,omitempty"` // objects whose owner references got another version
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Stage is what was done in a stage.
type Stage struct {
	Name     string       `json:"name"`
	Done     bool         `json:"done,omitempty"`
	Started  *metav1.Time `json:"started,omitempty"`
	Finished *metav1.Time `json:"finished,omitempty"`
	Message  string       `json:"message,omitempty"`
}

// KindStatus is what was done with a kind.
type KindStatus struct {
	CRD        string            `json:"crd"`
	Generation int64             `json:"generation,omitempty"`
	Since      *metav1.Time      `json:"since,omitempty"`
	Marker     string            `json:"marker,omitempty"`
	Objects    int               `json:"objects,omitempty"`
	Left       int64             `json:"left,omitempty"`
	Written    int               `json:"written,omitempty"`
	Unchanged  int               `json:"unchanged,omitempty"`
	Entries    int               `json:"entries,omitempty"`
	Poison     int               `json:"poison,omitempty"`
	Examples   []rewrite.Example `json:"examples,omitempty"`
	Evidence   *Evidence         `json:"evidence,omitempty"`
}

// Evidence shows that all objects of a kind are stored in a version.
type Evidence struct {
	Version string `json:"version"`
	// Generation is that of the CRD. It did not change from before the marker until after the lists.
	Generation int64          `json:"generation"`
	Marker     string         `json:"marker"`
	Lists      []rewrite.Seen `json:"lists"`
	Time       metav1.Time    `json:"time"`
}

// Target returns the version in which the objects of a kind are to be stored.
func (s *Spec) Target(k *Kind) string {
	if s.Back && k.From != "" {
		return k.From
	}
	return k.To
}

// Going returns the versions of a kind that go.
func (s *Spec) Going(k *Kind) []string {
	if s.Back {
		return k.Added
	}
	return k.Gone
}

// Of returns the status of a kind, which it adds if need be.
func (s *Status) Of(crd string) *KindStatus {
	i := slices.IndexFunc(s.Kinds, func(k KindStatus) bool { return k.CRD == crd })
	if i < 0 {
		i = len(s.Kinds)
		s.Kinds = append(s.Kinds, KindStatus{CRD: crd})
	}
	return &s.Kinds[i]
}

// In returns what was done in a stage, which it adds if need be.
func (s *Status) In(stage string) *Stage {
	i := slices.IndexFunc(s.Stages, func(of Stage) bool { return of.Name == stage })
	if i < 0 {
		i = len(s.Stages)
		s.Stages = append(s.Stages, Stage{Name: stage})
	}
	return &s.Stages[i]
}
