package main

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func owned(kind, name, uid string) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID(uid), Controller: &yes}}
}

func TestPodsAreNamedInCreationOrderWhateverTheWatchBringsFirst(t *testing.T) {
	n := newNamer()
	pod := func(name, uid, revision string) {
		n.meet(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid), ResourceVersion: revision, Namespace: "a",
			GenerateName: "m1-77c-", OwnerReferences: owned("ReplicaSet", "m1-77c", "set")}})
	}
	pod("m1-77c-zzzzz", "2", "12")
	pod("m1-77c-aaaaa", "1", "13")
	n.meet(&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "m1-77c", UID: "set", ResourceVersion: "11", Namespace: "a",
		OwnerReferences: owned("Deployment", "m1", "deployment"), Annotations: map[string]string{"deployment.kubernetes.io/revision": "2"}}})
	got := n.rewriter()("a/m1-77c-zzzzz a/m1-77c-aaaaa a/m1-77c")
	if want := "a/m1-~r2-~1 a/m1-~r2-~2 a/m1-~r2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if real := n.resolve("m1-~r2-~2"); real != "m1-77c-aaaaa" {
		t.Errorf("resolved to %s", real)
	}
}

func TestPodsOfAStatefulSetKeepTheirNames(t *testing.T) {
	n := newNamer()
	n.meet(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "m1-0", UID: "1", GenerateName: "m1-", OwnerReferences: owned("StatefulSet", "m1", "set")}})
	if got := n.rewriter()("m1-0"); got != "m1-0" {
		t.Errorf("got %s", got)
	}
}

func TestALaggingWatchIsPutInTheStoresOrder(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(1000 + ms)) }
	got := ordered([]event{
		{at: at(50), revision: 8, kind: "second"},
		{at: at(70), revision: 7, kind: "first"},
		{at: at(60), kind: "try"},
	})
	for i, want := range []string{"first", "second", "try"} {
		if got[i].kind != want {
			t.Errorf("%d: got %s, want %s", i, got[i].kind, want)
		}
	}
}

func TestTheMostParticularPatternWins(t *testing.T) {
	table := map[string]duration{"*": duration(time.Second), "serving/engine*": duration(time.Minute), "serving/engine-0": duration(time.Hour)}
	for pod, want := range map[string]time.Duration{"serving/gw": time.Second, "serving/engine-1": time.Minute, "serving/engine-0": time.Hour, "other/engine-0": time.Second} {
		if got := lookUp(table, pod, 0); got != want {
			t.Errorf("%s: got %s, want %s", pod, got, want)
		}
	}
}
